import { Processor } from '@nestjs/bullmq';
import { COMMANDS_QUEUE } from '#queue';
import { RunProcessor } from './run.processor.js';

/** Takes dispatches of commands, in workers that may run them. */
@Processor(COMMANDS_QUEUE, { concurrency: 8, removeOnComplete: { count: 0 } })
export class CommandProcessor extends RunProcessor {}
