import type { OpenAPIObject } from '@nestjs/swagger';
import { MEANINGS } from '../http/endpoint.js';
import { type Right, rightOf } from '../access/route-rights.js';

type Operation = { description?: string; security?: object[]; responses: Record<string, unknown> };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const KEYS = [{ 'api-key': [] }, { 'x-api-key': [] }];

/** Says of every operation what the doorkeeper asks for it. */
export function secureDocument(document: OpenAPIObject): OpenAPIObject {
  for (const [path, item] of Object.entries(document.paths)) {
    const route = path.replace(/\{(\w+)\}/g, ':$1');
    for (const method of METHODS) {
      const operation = item[method] as Operation | undefined;
      if (operation) secure(operation, rightOf(method.toUpperCase(), route));
    }
  }
  return document;
}

function secure(operation: Operation, right: Right | undefined): void {
  if (right?.kind !== 'role' && right?.kind !== 'metrics') return;
  operation.security = KEYS;
  const needed = right.kind === 'metrics' ? 'any role, or `METRICS_TOKEN`' : roleNeeded(right);
  operation.description = [operation.description, `Needs a key with ${needed}, where keys are asked for.`]
    .filter(Boolean)
    .join('\n\n');
  for (const status of [401, 403, 429]) operation.responses[status] ??= problem(status);
}

const roleNeeded = ({ least, root }: { least: string; root?: boolean }): string =>
  `the role ${least}${root ? ' of the whole deployment' : ''}`;

const problem = (status: number) => ({
  description: MEANINGS[status],
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemView' } } },
});
