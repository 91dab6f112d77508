import { randomUUID } from 'node:crypto';
import type pg from 'pg';

export interface Started {
  id: string;
  execId: string;
  at: string;
}

/** What the product keeps of a run, written in groups: that it started before the call, how it ended before the job ends. */
export class History {
  private readonly starts: Grouped<object>;
  private readonly ends: Grouped<object>;

  constructor(pool: pg.Pool) {
    this.starts = new Grouped((rows) => pool.query({ name: 'start', text: START, values: [JSON.stringify(rows)] }));
    this.ends = new Grouped((rows) => pool.query({ name: 'finish', text: FINISH, values: [JSON.stringify(rows)] }));
  }

  async started(id: string): Promise<Started> {
    const started = { id, execId: randomUUID(), at: new Date().toISOString() };
    await this.starts.add({ id, exec_id: started.execId, at: started.at });
    return started;
  }

  finished({ id, execId, at }: Started, { url, status, text }: { url: string; status: number; text: string }) {
    const request = JSON.stringify({ method: 'POST', url, headers: HEADERS, body: `{"run":"${id}"}` });
    const response = JSON.stringify({ status, headers: HEADERS, body: text });
    const ended = new Date().toISOString();
    return this.ends.add({
      id,
      exec_id: execId,
      began: at,
      ended,
      http_status: status,
      result: text,
      request,
      response,
    });
  }
}

const HEADERS = { 'content-type': 'application/json' };

const START = `UPDATE task_runs r SET status = 'RUNNING', exec_id = v.exec_id, attempt = r.attempt + 1, started_at = v.at
  FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36), at timestamp)
  WHERE r.id = v.id AND r.status = 'SCHEDULED'`;

const FINISH = `WITH v AS MATERIALIZED (SELECT * FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36),
    began timestamp, ended timestamp, http_status smallint, result text, request text, response text)),
  closed AS (UPDATE task_runs r SET status = 'SUCCESS', finished_at = v.ended, http_status = v.http_status,
    result = v.result::jsonb FROM v WHERE r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING' RETURNING r.id)
  INSERT INTO run_attempts (run_id, attempt, exec_id, outcome, started_at, finished_at, request, response, http_status)
  SELECT v.id, 1, v.exec_id, 'SUCCESS', v.began, v.ended, v.request, v.response, v.http_status
  FROM v JOIN closed ON closed.id = v.id`;

/** While one group is on its way the next one gathers. */
class Grouped<Row> {
  private waiting: { row: Row; done: () => void; failed: (error: Error) => void }[] = [];
  private busy = false;

  constructor(private readonly write: (rows: Row[]) => Promise<unknown>) {}

  add(row: Row): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ row, done, failed });
      if (this.busy) return;
      this.busy = true;
      setImmediate(() => void this.flush());
    });
  }

  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, 200);
      try {
        await this.write(group.map(({ row }) => row));
        for (const { done } of group) done();
      } catch (error) {
        for (const { failed } of group) failed(error as Error);
      }
    }
    this.busy = false;
  }
}
