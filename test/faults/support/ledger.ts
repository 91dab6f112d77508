import mariadb from 'mariadb';
import pg from 'pg';

export interface RunRow {
  id: string;
  taskId: string;
  trigger: string;
  status: string;
  skipReason: string | null;
  /** Seconds since 1970, as all times here. */
  scheduled: number;
  startedAt: number | null;
  finishedAt: number | null;
  missedFrom: number | null;
  missedCount: number | null;
  attempt: number;
  maxAttempts: number;
  execId: string | null;
  errorCode: string | null;
  result: unknown;
  /** Of one attempt. */
  timeoutSeconds: number | null;
}

export interface AttemptRow {
  runId: string;
  attempt: number;
  execId: string;
  outcome: string;
  errorCode: string | null;
  node: string | null;
  startedAt: number;
  finishedAt: number;
}

export interface StateRow {
  taskId: string;
  activeRuns: number;
  queuedRuns: number;
  nextFireAt: number | null;
}

export interface HeldRows {
  /** Another statement in the same transaction. */
  also(statement: string): Promise<unknown>;
  letGo(): Promise<void>;
}

type Row = Record<string, unknown>;

/**
 * What is in the database, read with a plain driver and statements of its own: neither the product's code nor its answers are
 * asked. A connection per question, so that a server that was killed in between does not matter.
 */
export class Ledger {
  private readonly isPostgres: boolean;

  constructor(readonly url: string) {
    this.isPostgres = url.startsWith('postgres');
  }

  async runs(where = '1 = 1'): Promise<RunRow[]> {
    const times = ['scheduled_time', 'started_at', 'finished_at', 'missed_from'].map((name) => this.seconds(name));
    const trigger = this.isPostgres ? '"trigger"' : '`trigger`';
    const rows = await this.query(
      `SELECT id, task_id, ${trigger} AS kind, status, skip_reason, missed_count, attempt, max_attempts, exec_id, error_code, result,
         attempt_timeout_seconds, ${times.join(', ')} FROM task_runs WHERE ${where} ORDER BY scheduled_time, id`,
    );
    return rows.map(toRun);
  }

  async run(id: string): Promise<RunRow> {
    const [run] = await this.runs(`id = '${id}'`);
    if (!run) throw new Error(`there is no run ${id}`);
    return run;
  }

  async attempts(): Promise<AttemptRow[]> {
    const times = ['started_at', 'finished_at'].map((name) => this.seconds(name)).join(', ');
    const rows = await this.query(
      `SELECT run_id, attempt, exec_id, outcome, error_code, node, ${times} FROM run_attempts`,
    );
    return rows.map((row) => ({
      runId: String(row.run_id),
      attempt: Number(row.attempt),
      execId: String(row.exec_id),
      outcome: String(row.outcome),
      errorCode: textOrNull(row.error_code),
      node: textOrNull(row.node),
      startedAt: Number(row.started_at),
      finishedAt: Number(row.finished_at),
    }));
  }

  async states(): Promise<StateRow[]> {
    const next = this.seconds('next_fire_at');
    const rows = await this.query(`SELECT task_id, active_runs, queued_runs, ${next} FROM task_states`);
    return rows.map((row) => ({
      taskId: String(row.task_id),
      activeRuns: Number(row.active_runs),
      queuedRuns: Number(row.queued_runs),
      nextFireAt: numberOrNull(row.next_fire_at),
    }));
  }

  async now(): Promise<number> {
    const now = this.isPostgres ? 'extract(epoch from clock_timestamp())::float8' : 'UNIX_TIMESTAMP(SYSDATE(6))';
    const [row] = await this.query(`SELECT ${now} AS now`);
    return Number(row.now);
  }

  async query(statement: string): Promise<Row[]> {
    return this.isPostgres ? this.onPostgres(statement) : this.onMySql(statement);
  }

  private async onPostgres(statement: string): Promise<Row[]> {
    const client = await this.postgres();
    try {
      const answer = (await client.query(statement)) as pg.QueryResult<Row> | pg.QueryResult<Row>[];
      return Array.isArray(answer) ? [] : answer.rows;
    } finally {
      await client.end();
    }
  }

  private async onMySql(statement: string): Promise<Row[]> {
    const connection = await this.mySql();
    try {
      return await connection.query<Row[]>(statement);
    } finally {
      await connection.end();
    }
  }

  /** A transaction that stays open: rows it has locked are nobody else's until it is let go. */
  async hold(statement: string): Promise<HeldRows> {
    const session = this.isPostgres ? await this.postgres() : await this.mySql();
    const say = (text: string) => (session as { query(text: string): Promise<unknown> }).query(text);
    await say(this.isPostgres ? 'BEGIN' : 'START TRANSACTION');
    await say(statement);
    const letGo = async () => {
      await say('ROLLBACK');
      await session.end();
    };
    return { also: say, letGo };
  }

  private async postgres(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  private mySql(): Promise<mariadb.Connection> {
    const { hostname, port, username, password, pathname } = new URL(this.url);
    const user = decodeURIComponent(username);
    const address = { host: hostname, port: Number(port), user, password: decodeURIComponent(password) };
    return mariadb.createConnection({
      ...address,
      database: pathname.slice(1),
      timezone: 'Z',
      connectTimeout: 5_000,
      allowPublicKeyRetrieval: true,
    });
  }

  private seconds(column: string): string {
    const value = this.isPostgres ? `extract(epoch from ${column})::float8` : `UNIX_TIMESTAMP(${column})`;
    return `${value} AS ${column}`;
  }
}

function toRun(row: Row): RunRow {
  return {
    id: String(row.id),
    taskId: String(row.task_id),
    trigger: String(row.kind),
    status: String(row.status),
    skipReason: textOrNull(row.skip_reason),
    scheduled: Number(row.scheduled_time),
    startedAt: numberOrNull(row.started_at),
    finishedAt: numberOrNull(row.finished_at),
    missedFrom: numberOrNull(row.missed_from),
    missedCount: numberOrNull(row.missed_count),
    attempt: Number(row.attempt),
    maxAttempts: Number(row.max_attempts),
    execId: textOrNull(row.exec_id),
    errorCode: textOrNull(row.error_code),
    result: parsed(row.result),
    timeoutSeconds: numberOrNull(row.attempt_timeout_seconds),
  };
}

const numberOrNull = (value: unknown) => (value === null || value === undefined ? null : Number(value));
const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

/** MariaDB hands JSON out as text. */
function parsed(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}
