/** A span that is over. Times are epoch milliseconds by the database's clock, so that spans of many hosts fit together. */
export interface FinishedSpan {
  name: string;
  traceId: string;
  /** Made up when it is not given. */
  spanId?: string;
  /** Without one it is where its trace begins. */
  parentId?: string;
  kind?: 'server' | 'client';
  start: number;
  end: number;
  attributes?: Record<string, string | number | boolean | undefined>;
  /** What went wrong, where something did. */
  error?: string | null;
}

/** Where spans go. */
export interface SpanSink {
  /** Whether a trace is kept. By its id alone, so that all processes say the same. */
  keeps(traceId: string): boolean;
  write(span: FinishedSpan): void;
  /** Sends what is left, for a moment. */
  close(): Promise<void>;
}
