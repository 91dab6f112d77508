/** Something that happens when the test says so, not when a time has passed. */
export interface Gate {
  /** Fulfilled by `open`. */
  opened: Promise<void>;
  open: () => void;
}

export function gate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
