import { Body, Controller, Param, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { redactTokenIn } from '#domain';
import { ReceiveCallback } from '#pipeline';
import { RunIdPipe } from '../http/id.pipe.js';
import { progressIn } from '../http/progress.js';
import { bearerToken } from './bearer-token.js';
import { CallbackPost, CallbackPut } from './callback-endpoint.js';
import { CallbackBody, saidIn } from './callback.request.js';
import { CallbackAnswerView, HeartbeatAnswerView } from './callback.view.js';
import { HeartbeatRequest } from './heartbeat.request.js';

const ABOUT = {
  summary: 'Close an attempt of an ASYNC run',
  description:
    'The first outcome counts. The same again is answered 200 with `duplicate`, another one 409; after the end of the attempt 202 with `late`. POST or PUT, as the task’s callback_method says.',
  view: CallbackAnswerView,
};

@ApiTags('callbacks')
@Controller('callbacks/:run_id')
export class CallbacksController {
  constructor(private readonly callbacks: ReceiveCallback) {}

  @CallbackPost('', ABOUT)
  post(
    @Param('run_id', RunIdPipe) id: string,
    @Body() body: CallbackBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.receive(id, body, request, reply);
  }

  @CallbackPut('', ABOUT)
  put(
    @Param('run_id', RunIdPipe) id: string,
    @Body() body: CallbackBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.receive(id, body, request, reply);
  }

  @CallbackPost('heartbeat', {
    summary: 'Say that an attempt is still being worked on',
    description: 'Moves its heartbeat_deadline on, keeps the progress, and tells whether the run was cancelled.',
    view: HeartbeatAnswerView,
  })
  async heartbeat(
    @Param('run_id', RunIdPipe) id: string,
    @Body() body: HeartbeatRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HeartbeatAnswerView> {
    const token = bearerToken(request);
    const progress = progressIn((token === null ? body : redactTokenIn(body, token)).progress);
    const { isOver, status, ...deadlines } = await this.callbacks.beat({ runId: id, token }, progress);
    const late = isOver && status !== 'CANCELED';
    if (late) void reply.status(202);
    return {
      cancel_requested: isOver,
      deadline: shown(deadlines.deadlineAt),
      heartbeat_deadline: shown(deadlines.heartbeatDeadlineAt),
      late,
    };
  }

  private async receive(
    runId: string,
    body: CallbackBody,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<CallbackAnswerView> {
    const token = bearerToken(request);
    const said = token === null ? saidIn(body) : redactTokenIn(saidIn(body), token);
    const { answer, status } = await this.callbacks.receive({ runId, token, method: request.method }, said);
    if (answer === 'late') void reply.status(202);
    return { run_id: runId, status, duplicate: answer === 'duplicate', late: answer === 'late' };
  }
}

const shown = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
