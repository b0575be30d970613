"""Three samples of Inspect AI by a served team, through chat completions and through responses. Argument: the server's URL."""

import json
import os
import sys
import tempfile

url = sys.argv[1]
# Where Inspect looks for the provider named duplex, and for OpenAI.
os.environ.update(
    DUPLEX_BASE_URL=f"{url}/v1", DUPLEX_API_KEY="none", OPENAI_BASE_URL=f"{url}/v1", OPENAI_API_KEY="none"
)

import inspect_ai
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match

# The third expects what is wrong, so that a score of 1 would be an error.
samples = [
    Sample(input="What is 17 + 25?", target="42"),
    Sample(input="What is 8 + 13?", target="21"),
    Sample(input="What is 2 + 2?", target="5"),
]


def accuracy(model: str) -> float:
    with tempfile.TemporaryDirectory() as logs:
        task = Task(dataset=samples, scorer=match(location="end", numeric=True))
        (log,) = inspect_ai.eval(task, model=model, display="none", log_dir=logs, max_retries=0)
    assert log.status == "success", log.error and log.error.message
    assert log.stats.model_usage[model].output_tokens == 30, log.stats.model_usage
    return log.results.scores[0].metrics["accuracy"].value


scores = {name: accuracy(model) for name, model in [("chat", "openai-api/duplex/sums"), ("responses", "openai/sums")]}
for name, score in scores.items():
    assert abs(score - 2 / 3) < 1e-9, scores
print(json.dumps({"inspect_ai": inspect_ai.__version__, **scores}))
