// The few colors there are, as the style sheet has them.

export type Palette = {
  readonly paper: string;
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  readonly speech: string;
  readonly speechNext: string;
  readonly thinking: string;
  readonly cut: string;
  readonly unsaid: string;
  readonly pickUp: string;
};

export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: read("paper"),
    ink: read("ink"),
    quiet: read("quiet"),
    line: read("line"),
    speech: read("speech"),
    speechNext: read("speech-next"),
    thinking: read("thinking"),
    cut: read("cut"),
    unsaid: read("unsaid"),
    pickUp: read("pick-up"),
  };
}
