export interface WelcomeFacts {
  baseUrl: string;
  /** What it runs on, e.g. "embedded PostgreSQL in /…/.data". */
  runsOn: string;
  /** Makes the first task's name new at every start. */
  suffix: string;
}

/** What a newcomer reads when everything is up: where it is, and two commands to paste. */
export function welcome({ baseUrl, runsOn, suffix }: WelcomeFacts): string {
  const task = { name: `hello-${suffix}`, cron_expr: '*/5 * * * * *', target_url: `${baseUrl}/demo/echo` };
  return `
  Punctual is ready.

    API    ${baseUrl}/api/v1
    Docs   ${baseUrl}/docs
    Data   ${runsOn}

  Create a first task, which calls a built-in demo target every five seconds:

    curl -sS -X POST ${baseUrl}/api/v1/tasks -H 'content-type: application/json' -d '${JSON.stringify(task)}'

  and look at its runs:

    curl -sS '${baseUrl}/api/v1/runs?limit=5'

  Ctrl-C stops everything.
`;
}
