interface Waiting<Item> {
  item: Item;
  done: () => void;
  failed: (error: unknown) => void;
}

/** Most that is written at once. */
const MOST = 500;

/** Writes what comes while the last write is under way all at once; each waits until its own is there. */
export class Grouped<Item> {
  private waiting: Waiting<Item>[] = [];
  private isWriting = false;

  constructor(private readonly write: (items: Item[]) => Promise<void>) {}

  add(item: Item): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ item, done, failed });
      if (!this.isWriting) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, MOST);
      await this.write(group.map(({ item }) => item)).then(
        () => group.forEach(({ done }) => done()),
        (error: unknown) => group.forEach(({ failed }) => failed(error)),
      );
    }
    this.isWriting = false;
  }
}
