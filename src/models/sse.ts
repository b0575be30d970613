import { createParser, type EventSourceMessage } from "eventsource-parser";

/** Turns bytes, cut anywhere, into the `data` of server-sent events. */
export interface EventReader {
  /** The events that these bytes complete, in order. Throws `RangeError` when one event grows beyond all measure. */
  push(bytes: Uint8Array): readonly string[];
  /** The event that the end of the stream completes, should the last blank line be missing. */
  end(): readonly string[];
}

/** Characters of one event; a whole answer in one event fits many times over. */
const largest = 16 * 1024 * 1024;

/**
 * A reader for one stream; comments and keep-alives are passed over. Errors that a server puts beside `data` (an event or
 * a field of the name `error`) become data of the form `{"error": …}`.
 */
export function eventReader(): EventReader {
  const decoder = new TextDecoder();
  let events: string[] = [];
  let tooLarge = false;
  const parser = createParser({
    maxBufferSize: largest,
    onEvent: ({ event, data }: EventSourceMessage) => {
      events.push(event === "error" && !data.includes('"error"') ? `{"error":${data}}` : data);
    },
    onError: ({ type, field, value }) => {
      if (type === "max-buffer-size-exceeded") tooLarge = true;
      // Older llama.cpp servers say `error: {…}` where others say `data: {"error": {…}}`.
      else if (field === "error") events.push(`{"error":${value ?? "null"}}`);
    },
  });
  const feed = (text: string) => {
    events = [];
    if (text !== "") parser.feed(text);
    if (tooLarge) throw new RangeError(`an event of more than ${largest} characters`);
    return events;
  };
  return {
    push: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end: () => feed(`${decoder.decode()}\n\n`),
  };
}
