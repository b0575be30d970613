"""The official A2A client in Python against a served team: card, stream, whole, cancel, refusal. Argument: the server's URL."""

import asyncio
import importlib.metadata
import json
import sys

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.errors import A2AClientError
from a2a.helpers import new_text_message
from a2a.types import CancelTaskRequest, GetTaskRequest, Role, SendMessageRequest, TaskState
from a2a.utils.errors import TaskNotFoundError

url = sys.argv[1]
expected = "17 + 25 = 42"


def asking(text: str) -> SendMessageRequest:
    return SendMessageRequest(message=new_text_message(text, role=Role.ROLE_USER))


def text_of(artifact) -> str:
    return "".join(part.text for part in artifact.parts)


async def main() -> None:
    # A client may wait between two words for as long as a team thinks.
    http = httpx.AsyncClient(timeout=60)
    factory = ClientFactory(ClientConfig(httpx_client=http, streaming=True))
    client = await factory.create_from_url(f"{url}/a2a/sums/")
    said, speakers, state = "", set(), None
    async for event in client.send_message(asking("What is 17 + 25?")):
        if event.HasField("artifact_update"):
            said += text_of(event.artifact_update.artifact)
            speakers.add(event.artifact_update.metadata["agent"])
        if event.HasField("status_update"):
            state = event.status_update.status.state
    assert (said, speakers, state) == (expected, {"checker"}, TaskState.TASK_STATE_COMPLETED), (said, speakers, state)

    waiting = ClientFactory(ClientConfig(httpx_client=http, streaming=False))
    whole = await waiting.create_from_url(f"{url}/a2a/sums/")
    tasks = [event.task async for event in whole.send_message(asking("What is 17 + 25?"))]
    assert [text_of(artifact) for artifact in tasks[-1].artifacts] == [expected], tasks
    assert (await whole.get_task(GetTaskRequest(id=tasks[-1].id))).status.state == TaskState.TASK_STATE_COMPLETED

    slow = await factory.create_from_url(f"{url}/a2a/chain/")
    task_id, state = "", None
    async for event in slow.send_message(asking("Add up the takings of a week.")):
        if event.HasField("task"):
            task_id = event.task.id
        if event.HasField("artifact_update") and state is None:
            state = (await slow.cancel_task(CancelTaskRequest(id=task_id))).status.state
    assert state == TaskState.TASK_STATE_CANCELED, state

    try:
        await client.get_task(GetTaskRequest(id="nothing"))
        raise AssertionError("a task that is not there was found")
    except (TaskNotFoundError, A2AClientError) as error:
        assert "no such task" in str(error), error
    await http.aclose()


asyncio.run(main())
print(json.dumps({"a2a_sdk": importlib.metadata.version("a2a-sdk")}))
