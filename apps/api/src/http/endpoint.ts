import { applyDecorators, Delete, Get, HttpCode, Patch, Post, Put, type Type } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ProblemView } from './problem.view.js';

interface About {
  summary: string;
  description?: string;
  /** What comes back. */
  view?: Type;
}

export const MEANINGS: Record<number, string> = {
  400: 'the body is not JSON',
  401: 'the credentials are missing or wrong',
  403: 'the key’s role does not allow it',
  404: 'there is no such thing',
  405: 'another method is asked for; `Allow` says which',
  409: 'it conflicts with what is there',
  413: 'the body is too large',
  415: 'the body is not sent as JSON',
  422: 'the content is not valid; `errors` names every field',
  429: 'too many requests, or more than a quota allows; `Retry-After` says when to try again',
  503: 'a part behind the API is away; try again',
};

export const problems = (...statuses: number[]) =>
  statuses.map((status) =>
    ApiResponse({
      status,
      description: MEANINGS[status],
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemView' } } },
    }),
  );

const about = ({ summary, description, view }: About, status: number) => [
  ApiOperation({ summary, description }),
  ApiResponse({ status, type: view, description: 'done' }),
];

const BODY_PROBLEMS = [400, 409, 413, 415, 422, 503];

/** Makes something; safe to repeat with an idempotency key. */
export const CreateEndpoint = (path: string | string[], options: About & { status?: number; also?: number[] }) => {
  const { status = 201, also = [] } = options;
  return applyDecorators(
    Post(path),
    HttpCode(status),
    ...about(options, status),
    ApiHeader({ name: 'Idempotency-Key', required: false, description: 'Repeats of a request get the first answer.' }),
    ...problems(...also, ...BODY_PROBLEMS),
  );
};

export const ReadEndpoint = (path: string, options: About) =>
  applyDecorators(Get(path), ...about(options, 200), ...problems(404, 422, 503));

const change = (verb: MethodDecorator, options: About, status: number) =>
  applyDecorators(
    verb,
    HttpCode(status),
    ...about(options, status),
    ApiHeader({ name: 'If-Match', required: false, description: 'The version the change was made from, as `"3"`.' }),
    ...problems(404, ...BODY_PROBLEMS),
  );

export const ReplaceEndpoint = (path: string, options: About) => change(Put(path), options, 200);
export const PatchEndpoint = (path: string, options: About) => change(Patch(path), options, 200);
export const DeleteEndpoint = (path: string, options: About) => change(Delete(path), options, 204);

/** Does something to what is there. */
export const ActionEndpoint = (path: string | string[], options: About) =>
  applyDecorators(Post(path), HttpCode(200), ...about(options, 200), ...problems(404, 409, 422, 503));

/** Takes an order that is carried out after the answer. */
export const AcceptEndpoint = (path: string, options: About) =>
  applyDecorators(Post(path), HttpCode(202), ...about(options, 202), ...problems(404, 409, 422, 503));

/** Answers a question that is too long for an address; changes nothing. */
export const AskEndpoint = (path: string, options: About) =>
  applyDecorators(Post(path), HttpCode(200), ...about(options, 200), ...problems(400, 413, 415, 422, 503));

/** The same with something to say about it, where it may not be possible any more. */
export const DecisionEndpoint = (path: string, options: About) =>
  applyDecorators(Post(path), HttpCode(200), ...about(options, 200), ...problems(404, ...BODY_PROBLEMS));

export { ProblemView };
