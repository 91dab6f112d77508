/** Seconds from the due second to the request. What is late by minutes needs no finer steps. */
export const LATENESS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Seconds a target takes to answer. */
export const CALL = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600];
/** Seconds a transaction takes. */
export const TRANSACTION = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** Tasks or runs that share a transaction. */
export const GROUP = [1, 2, 5, 10, 25, 50, 100, 200, 500, 1000, 5000];
