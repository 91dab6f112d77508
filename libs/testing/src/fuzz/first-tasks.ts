/** The tasks that are there before anything is asked, one of each kind. */
export const FIRST_TASKS = ['plain', 'asked', 'agent', 'async', 'cron'].map((name) => `fuzz-${name}`);
