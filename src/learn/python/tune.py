"""Trains a LoRA adapter to say Yes or No after what was heard. Started by `duplex learn tune`, told what to do by a JSON file;
says how far it is in lines of JSON on standard output. It ends when its standard input does, so that it never outlives its caller."""

import bisect
import json
import math
import os
import signal
import sys
import threading
import time

stopping = threading.Event()
out = {"lines": sys.stdout}


def keep_output():
    """Libraries print where lines of JSON are expected: they get standard error."""
    out["lines"] = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), file=out["lines"], flush=True)


def watch_caller():
    while os.read(0, 4096):
        pass
    stopping.set()


def read(path):
    with open(path, encoding="utf8") as file:
        return [json.loads(line) for line in file if line.strip()]


def by_group(rows):
    groups = {}
    for index, row in enumerate(rows):
        groups.setdefault(row["group"], []).append({**row, "index": index})
    return list(groups.values())


def area(positive, negative):
    """The area under the ROC curve."""
    ordered = sorted(negative)
    if not positive or not ordered:
        return None
    ranks = (bisect.bisect_left(ordered, x) + bisect.bisect_right(ordered, x) for x in positive)
    return sum(ranks) / 2 / (len(positive) * len(ordered))


class Tree:
    """The hearings of one message as one sequence: what they begin with alike is read once. Each token sees its own past only."""

    def __init__(self, rows, torch, device):
        ids, parents, depths, known, ends = [], [], [], {}, []
        for row in rows:
            at = -1
            for depth, token in enumerate(row["tokens"]):
                key = (at, token)
                if key not in known:
                    known[key] = len(ids)
                    ids.append(token)
                    parents.append(at)
                    depths.append(depth)
                at = known[key]
            ends.append(at)
        mask = torch.full((len(ids), len(ids)), torch.finfo(torch.float32).min)
        for index, parent in enumerate(parents):
            if parent >= 0:
                mask[index] = mask[parent]
            mask[index, index] = 0
        self.ids = torch.tensor([ids], device=device)
        self.positions = torch.tensor([depths], device=device)
        self.mask = mask[None, None].to(device)
        self.ends = torch.tensor(ends, device=device)
        self.labels = torch.tensor([row["label"] for row in rows], device=device)
        self.rows = [row["index"] for row in rows]
        self.states = None


class Reader:
    """The model's layers by hand: those below the lowest that is trained are computed once for each message and kept."""

    def __init__(self, model, spec, torch):
        self.model, self.torch, self.yes, self.no = model, torch, spec["yes"], spec["no"]
        self.frozen, self.room = spec["from"], spec["keepBytes"]

    def through(self, hidden, tree, layers):
        embeddings = self.model.model.rotary_emb(hidden, tree.positions)
        mask = tree.mask.to(hidden.dtype)
        for layer in layers:
            out = layer(
                hidden, attention_mask=mask, position_ids=tree.positions, position_embeddings=embeddings, use_cache=False
            )
            hidden = out[0] if isinstance(out, tuple) else out
        return hidden

    def low(self, tree):
        if tree.states is not None:
            return tree.states
        with self.torch.no_grad():
            embedded = self.model.model.embed_tokens(tree.ids)
            states = self.through(embedded, tree, self.model.model.layers[: self.frozen])
        size = states.numel() * states.element_size()
        if size <= self.room:
            self.room -= size
            tree.states = states
        return states

    def logits(self, tree):
        hidden = self.through(self.low(tree), tree, self.model.model.layers[self.frozen :])
        return self.model.lm_head(self.model.model.norm(hidden[:, tree.ends]))[0].float()

    def odds(self, logits):
        return logits[:, self.yes].logsumexp(-1) - logits[:, self.no].logsumexp(-1)

    def judge(self, trees):
        """Probabilities of Yes and No of each row, by its index, and the log-odds."""
        found = {}
        with self.torch.no_grad():
            for tree in trees:
                logits = self.logits(tree)
                shares = logits.softmax(-1)
                yes, no = (shares[:, words].sum(-1).tolist() for words in (self.yes, self.no))
                for row, *values in zip(tree.rows, yes, no, self.odds(logits).tolist(), tree.labels.tolist()):
                    found[row] = values
        return found


def summary(found):
    odds = [(value[2], value[3]) for value in found.values()]
    losses = [math.log1p(math.exp(min(50, -x if label else x))) for x, label in odds]
    auc = area([x for x, label in odds if label], [x for x, label in odds if not label])
    mass = sum(value[0] + value[1] for value in found.values()) / max(1, len(found))
    return {"auc": auc, "loss": sum(losses) / max(1, len(losses)), "mass": mass, "rows": len(found)}


def load_base(spec, torch, transformers):
    """Weights of the GGUF file made whole again, or those of a folder or hub name in their place."""
    if spec.get("weights"):
        source = {"pretrained_model_name_or_path": spec["weights"]}
    else:
        folder, file = os.path.split(spec["base"])
        source = {"pretrained_model_name_or_path": folder, "gguf_file": file}
    model = transformers.AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    # It is quantized no more, and must not be taken for it.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    for name in ("is_quantized", "quantization_method", "hf_quantizer"):
        model.__dict__.pop(name, None)
    return model


def tokenizer_of(transformers):
    """Prompts come as tokens; the trainer only wants to hold one of these."""
    import tokenizers

    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<pad>": 0}, unk_token="<pad>"))
    return transformers.PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="<pad>")


def last_checkpoint(folder):
    """The newest checkpoint that was written to its end: the state of the training comes last."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    steps = sorted((int(name.split("-")[1]) for name in names if name.startswith("checkpoint-")), reverse=True)
    for step in steps:
        path = os.path.join(folder, f"checkpoint-{step}")
        try:
            with open(os.path.join(path, "trainer_state.json"), encoding="utf8") as file:
                json.load(file)
            return path
        except (OSError, ValueError):
            continue
    return None


def tells_apart(trees):
    labels = {label for tree in trees for label in tree.labels.tolist()}
    return len(labels) > 1


def aim(model, reader, trees, spec, torch):
    """
    Turns the first rows of each lora_A to what tells the labels apart at the layer's own input (ridge regression on the last
    tokens' states), so that only what to do about it must be found by descent. The more modules see it, the less each one does:
    their steps add up.
    """
    inputs, hooks = {}, []
    modules = [(name, module) for name, module in model.named_modules() if hasattr(module, "lora_A")]
    ends = {}
    for name, module in modules:
        keep = lambda _, args, name=name: inputs.setdefault(name, []).append(args[0][0, ends["now"]].float())
        hooks.append(module.register_forward_pre_hook(keep))
    labels = []
    with torch.no_grad():
        for tree in trees:
            ends["now"] = tree.ends
            reader.logits(tree)
            labels += tree.labels.tolist()
            if stopping.is_set():
                break
    for hook in hooks:
        hook.remove()
    target = torch.tensor(labels, dtype=torch.float32, device=trees[0].ids.device)
    target = target - target.mean()
    for name, module in modules:
        states = torch.cat(inputs[name])
        # What all states have in common would add the same to every token.
        common = states.mean(0) / states.mean(0).norm()
        states = states - (states @ common)[:, None] * common
        centered = states - states.mean(0)
        gram = centered.T @ centered
        size = gram.diagonal().mean()
        rows = []
        for penalty in (0.1, 1.0, 10.0, 100.0)[: max(1, spec["rank"] // 2)]:
            weights = torch.linalg.solve(gram + penalty * size * torch.eye(len(gram), device=gram.device), centered.T @ target)
            weights = weights - (weights @ common) * common
            rows.append(weights * (14 / len(modules)) / (states @ weights).std().clamp_min(1e-6))
        with torch.no_grad():
            module.lora_A["default"].weight[: len(rows)] = torch.stack(rows)


def callbacks_of(spec, reader, held, transformers):
    began = {"seconds": time.monotonic(), "step": 0, "saved": time.monotonic(), "losses": [], "first": None}

    class Progress(transformers.TrainerCallback):
        def on_train_begin(self, args, state, control, **_):
            began.update(seconds=time.monotonic(), step=state.global_step)

        def on_step_end(self, args, state, control, **_):
            step = state.global_step
            if spec["seconds"] and time.monotonic() - began["seconds"] > spec["seconds"]:
                control.should_training_stop = True
            if stopping.is_set():
                control.should_training_stop = True
            due = time.monotonic() - began["saved"] > spec["saveSeconds"]
            if due or control.should_training_stop or step >= state.max_steps:
                control.should_save = True
                began["saved"] = time.monotonic()

        def on_log(self, args, state, control, logs=None, **_):
            if not logs or "loss" not in logs:
                return
            loss, step = float(logs["loss"]), state.global_step
            seconds = time.monotonic() - began["seconds"]
            say(
                "step",
                step=step,
                steps=state.max_steps,
                loss=loss if math.isfinite(loss) else None,
                seconds=seconds,
                sinceStep=began["step"],
            )
            began["losses"] = [*began["losses"][-9:], loss]
            began["first"] = loss if began["first"] is None else began["first"]
            recent = sum(began["losses"]) / len(began["losses"])
            wild = len(began["losses"]) == 10 and recent > 3 * max(began["first"], math.log(2))
            if not math.isfinite(loss) or wild:
                raise Diverged(step, loss)

        def on_save(self, args, state, control, **_):
            say("saved", step=state.global_step)

        def on_substep_end(self, args, state, control, **_):
            if stopping.is_set():
                control.should_training_stop = True

    class Held(transformers.TrainerCallback):
        def on_step_end(self, args, state, control, model=None, **_):
            if state.global_step % spec["every"] == 0 and not stopping.is_set():
                model.eval()
                say("held", step=state.global_step, **summary(reader.judge(held[: spec["heldMessages"]])))
                model.train()

    return [Progress(), Held()]


class Diverged(Exception):
    pass


def trained_on(count, aimed):
    """
    Messages that showed where to look are left out while there are as many others: what was found on them looks better on them
    than it is, and would be trusted too much.
    """
    return list(range(aimed if count >= 2 * aimed else 0, count))


def trainer_of(spec, parts, torch):
    model, trees, reader, callbacks = parts
    import datasets
    import trl
    from peft import LoraConfig

    class Listener(trl.SFTTrainer):
        def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
            loss = 0
            for tree in inputs["trees"]:
                logits = reader.logits(trees[tree])
                labels = trees[tree].labels
                told = torch.nn.functional.binary_cross_entropy_with_logits(
                    reader.odds(logits), labels.float(), reduction="sum"
                )
                # A little for saying one of the two words at all.
                words = torch.where(labels == 1, reader.yes[0], reader.no[0])
                said = torch.nn.functional.cross_entropy(logits, words, reduction="sum")
                loss = loss + (told + spec["mass"] * said) / spec["rowsPerMessage"]
            return (loss, None) if return_outputs else loss

    config = trl.SFTConfig(
        output_dir=spec["checkpoints"],
        use_cpu=spec["device"] == "cpu",
        bf16=False,
        fp16=False,
        gradient_checkpointing=False,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=spec["batch"],
        max_steps=spec["steps"],
        learning_rate=spec["rate"],
        lr_scheduler_type="linear",
        warmup_steps=min(10, spec["steps"] // 10),
        adam_beta2=0.98,
        weight_decay=0.0,
        max_grad_norm=1.0,
        logging_steps=1,
        logging_nan_inf_filter=False,
        save_strategy="no",
        save_total_limit=2,
        report_to="none",
        seed=spec["seed"],
        data_seed=spec["seed"],
        dataloader_pin_memory=False,
        disable_tqdm=True,
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        max_length=None,
    )
    import transformers

    return Listener(
        model=model,
        args=config,
        train_dataset=datasets.Dataset.from_dict({"tree": trained_on(len(trees), spec["aimMessages"])}),
        data_collator=lambda rows: {"trees": [row["tree"] for row in rows]},
        processing_class=tokenizer_of(transformers),
        peft_config=LoraConfig(
            r=spec["rank"],
            lora_alpha=spec["alpha"],
            lora_dropout=0.0,
            target_modules=spec["targets"],
            layers_to_transform=list(range(spec["from"], spec["to"])),
            layers_pattern="layers",
            task_type="CAUSAL_LM",
        ),
        callbacks=callbacks,
    )


def main(path):
    with open(path, encoding="utf8") as file:
        spec = json.load(file)
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    signal.signal(signal.SIGINT, lambda *_: stopping.set())
    threading.Thread(target=watch_caller, daemon=True).start()
    import peft
    import torch
    import transformers
    import trl

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(spec["threads"])
    torch.manual_seed(spec["seed"])
    device = spec["device"] = ("cuda" if torch.cuda.is_available() else "cpu") if spec["device"] == "auto" else spec["device"]
    versions = {each.__name__: each.__version__ for each in (torch, transformers, trl, peft)}
    say("ready", versions=versions, device=device)
    base = load_base(spec, torch, transformers).to(device)
    train = [Tree(rows, torch, device) for rows in by_group(read(spec["train"]))]
    held = [Tree(rows, torch, device) for rows in by_group(read(spec["held"]))]
    reader = Reader(base, spec, torch)
    trainer = trainer_of(spec, (base, train, reader, callbacks_of(spec, reader, held, transformers)), torch)
    count = sum(each.numel() for each in trainer.model.parameters() if each.requires_grad)
    say("loaded", parameters=count, rows=sum(len(tree.rows) for tree in train), messages=len(train))
    before = last_checkpoint(spec["checkpoints"])
    if before is None:
        trainer.model.eval()
        say("held", step=0, **summary(reader.judge(held[: spec["heldMessages"]])))
        if spec["aimMessages"] > 0 and tells_apart(train[: spec["aimMessages"]]):
            aim(trainer.model, reader, train[: spec["aimMessages"]], spec, torch)
        trainer.model.train()
    if stopping.is_set():
        return say("stopped", step=0)
    try:
        trainer.train(resume_from_checkpoint=before)
    except Diverged as error:
        step, loss = error.args
        return say("diverged", step=step, loss=loss if math.isfinite(loss) else None)
    step = trainer.state.global_step
    if stopping.is_set():
        return say("stopped", step=step)
    trainer.model.eval()
    trainer.model.save_pretrained(spec["adapter"])
    found = reader.judge(held)
    say("done", step=step, probabilities=[found[index][:2] for index in sorted(found)], **summary(found))


if __name__ == "__main__":
    keep_output()
    try:
        main(sys.argv[1])
    except Exception as error:  # One line for whoever reads the protocol, all of it for who reads the log.
        say("failed", message=f"{type(error).__name__}: {error}"[:2000])
        raise
