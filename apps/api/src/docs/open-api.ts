import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { secureDocument } from './secure-document.js';
import { ProblemView } from '../http/problem.view.js';

const ABOUT = `
Queue-backed jobs: HTTP tasks on a cron schedule to the second, or on demand.

- JSON in and out, keys in snake_case, ids are strings, times are ISO-8601 UTC.
- Errors are RFC 9457 \`application/problem+json\`; \`errors\` names every field at fault. Unknown fields are refused (422).
- Bodies are UTF-8 and not compressed. A number that a double cannot hold (an id of nineteen digits) is refused (422) rather than
  changed: send it as a text.
- Lists: \`?limit=\` (1–200) and \`?cursor=\`, newest first; \`next_cursor\` is null on the last page.
- Every answer carries \`x-trace-id\`; a W3C \`traceparent\` is taken over.
- \`Idempotency-Key\` on a POST that creates: the same key and body give the same answer for 24 hours, with
  \`idempotency-replayed: true\`; another body is 409.
- PUT and PATCH take \`version\` (or \`If-Match\`): a stale one is 409 and changes nothing. In a PATCH a field given
  replaces the stored one as a whole, null brings back its default.
- Where the deployment asks for API keys (\`AUTH_MODE\`): \`Authorization: Bearer pk_…\` or \`X-API-Key\`. 401 without a good one, 403 names
  the role that is needed, 404 for what belongs to another tenant, 429 with \`Retry-After\` beyond a rate limit or a quota. A key of the
  whole deployment names the tenant it means with \`X-Tenant\`.
`;

/** The OpenAPI document, made from the controllers and their requests. */
export function openApi(app: NestFastifyApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setTitle('Punctual')
    .setDescription(ABOUT)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'opaque', description: 'The token an attempt was given.' },
      'callback-token',
    );
  about
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'opaque', description: 'An API key: `pk_…`.' },
      'api-key',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same, in another header.' },
      'x-api-key',
    );
  return secureDocument(SwaggerModule.createDocument(app, about.build(), { extraModels: [ProblemView] }));
}
