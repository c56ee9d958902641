/** The loop as the process of the faces sees it, wherever it runs. */
export interface LoopHandle {
  readonly where: 'thread' | 'inline';
  /** Why nothing is carried out at the moment; undefined: it runs. */
  trouble(): string | undefined;
  look(request_ids: readonly string[]): void;
  /** Ends calls under way and gives claims back. Idempotent. */
  stop(): Promise<void>;
}
