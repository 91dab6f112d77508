import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ProblemView } from '../http/problem.view.js';

const ABOUT = `
Queue-backed jobs: HTTP tasks on a cron schedule to the second, or on demand.

- JSON in and out, keys in snake_case, ids are strings, times are ISO-8601 UTC.
- Errors are RFC 9457 \`application/problem+json\`; \`errors\` names every field at fault. Unknown fields are refused (422).
- Lists: \`?limit=\` (1–200) and \`?cursor=\`, newest first; \`next_cursor\` is null on the last page.
- Every answer carries \`x-trace-id\`; a W3C \`traceparent\` is taken over.
- \`Idempotency-Key\` on a POST that creates: the same key and body give the same answer for 24 hours, with
  \`idempotency-replayed: true\`; another body is 409.
- PUT and PATCH take \`version\` (or \`If-Match\`): a stale one is 409 and changes nothing. In a PATCH a field given
  replaces the stored one as a whole, null brings back its default.
`;

/** The OpenAPI document, made from the controllers and their requests. */
export function openApi(app: NestFastifyApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setTitle('Punctual')
    .setDescription(ABOUT)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'The token an attempt was given.' },
      'callback-token',
    );
  return SwaggerModule.createDocument(app, about.build(), { extraModels: [ProblemView] });
}
