// How wide a drawing may be.

import { useEffect, useRef, useState } from "preact/hooks";

/** A place to draw in, and its width in pixels as it changes; 0 until it is known. */
export function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return { place, width };
}
