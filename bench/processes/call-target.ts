import { Agent, request } from 'undici';

const dispatcher = new Agent({ connections: 128 });

/** The call every contender makes: a POST with the same headers and body, the answer read to its end. */
export async function callTarget(url: string, id: string, due: string): Promise<{ status: number; text: string }> {
  const headers = {
    'content-type': 'application/json',
    'x-punctual-run-id': id,
    'x-punctual-attempt': '1',
    'x-punctual-scheduled-time': due,
  };
  const { body, statusCode } = await request(url, {
    method: 'POST',
    headers,
    body: `{"run":"${id}"}`,
    dispatcher,
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`status ${statusCode}`);
  return { status: statusCode, text };
}

/** Ends with the process that started it. */
export function followParent(stop: () => Promise<unknown> = () => Promise.resolve()): void {
  const end = () => void stop().finally(() => process.exit(0));
  process.on('SIGTERM', end);
  process.on('disconnect', end);
}
