import { faultOf } from '#database';
import type { Logger } from 'pino';

/**
 * MariaDB's driver rejects a promise that nobody has when a connection breaks while it is being set up, beside the one that whoever
 * asked for it has. That is no reason to end the process; any other rejection that nobody handles still is.
 */
export function forgiveLostConnections(log: Logger): void {
  process.on('unhandledRejection', (error) => {
    if (faultOf(error) !== 'away') throw error;
    log.debug({ err: error }, 'a connection to the database broke while it was being set up');
  });
}
