/** A reason not to start that the person at the terminal can do something about: shown as it is, without a trace. */
export class StartupError extends Error {}
