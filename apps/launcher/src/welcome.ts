export interface WelcomeFacts {
  baseUrl: string;
  /** What it runs on, e.g. "embedded PostgreSQL in /…/.data". */
  runsOn: string;
  /** Makes the first task's name new at every start. */
  suffix: string;
  /** Whether the API asks for a key. */
  asksForKeys?: boolean;
}

/** What a newcomer reads when everything is up: where it is, and two commands to paste. */
export function welcome({ baseUrl, runsOn, suffix, asksForKeys = false }: WelcomeFacts): string {
  const task = { name: `hello-${suffix}`, cron_expr: '*/5 * * * * *', target_url: `${baseUrl}/demo/echo` };
  const key = asksForKeys ? ' -H "authorization: Bearer $KEY"' : '';
  return `
  Punctual is ready.

    API    ${baseUrl}/api/v1
    Docs   ${baseUrl}/docs
    Data   ${runsOn}

${asksForKeys ? MAKE_A_KEY : ''}  Create a first task, which calls a built-in demo target every five seconds:

    curl -sS -X POST ${baseUrl}/api/v1/tasks${key} -H 'content-type: application/json' -d '${JSON.stringify(task)}'

  and look at its runs:

    curl -sS '${baseUrl}/api/v1/runs?limit=5'${key}

  Ctrl-C stops everything.
`;
}

const MAKE_A_KEY = `  HOST is open to the network, so the API asks for keys. Make one, in another terminal; it is shown once:

    KEY=$(npm run -s keys:create)

`;
