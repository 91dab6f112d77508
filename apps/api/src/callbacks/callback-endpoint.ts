import { applyDecorators, HttpCode, Post, Put, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { problems } from '../http/endpoint.js';

interface About {
  summary: string;
  description: string;
  view: Type;
}

/** What targets call with the token of their attempt, and no other credentials. */
const endpoint = (verb: MethodDecorator, { summary, description, view }: About) =>
  applyDecorators(
    verb,
    HttpCode(200),
    ApiBearerAuth('callback-token'),
    ApiOperation({ summary, description }),
    ApiResponse({ status: 200, type: view, description: 'done' }),
    ApiResponse({ status: 202, type: view, description: 'too late, but kept' }),
    ...problems(400, 401, 404, 405, 409, 413, 415, 422, 503),
  );

export const CallbackPost = (path: string, about: About) => endpoint(Post(path), about);
export const CallbackPut = (path: string, about: About) => endpoint(Put(path), about);
