/** The text given is none of what is allowed; the message, if there is one, says why. */
export class NotAllowed extends Error {}
