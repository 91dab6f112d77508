import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Punctual API</title>
  <link rel="stylesheet" href="/docs/swagger-ui.css">
  <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
  <div id="ui"></div>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script>SwaggerUIBundle({ url: '/docs/openapi.json', dom_id: '#ui', deepLinking: true, docExpansion: 'list' });</script>
</body>
</html>
`;

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/**
 * `/docs` shows the document, `/docs/openapi.json` is it. Three files by hand, since the plugin that
 * SwaggerModule.setup would serve them with cannot be loaded by Jest on Node 20.
 */
export function docsPages(document: () => object) {
  let text: string | undefined;
  return async (scope: FastifyInstance): Promise<void> => {
    const folder = swaggerFolder();
    scope.get('/docs', (_request, reply) => reply.type('text/html; charset=utf-8').send(PAGE));
    scope.get('/docs/openapi.json', (_request, reply) =>
      reply.type('application/json; charset=utf-8').send((text ??= JSON.stringify(document()))),
    );
    for (const [asset, type] of Object.entries(ASSETS)) {
      scope.get(`/docs/${asset}`, (_request, reply) => {
        void reply.type(type).header('cache-control', 'public, max-age=86400');
        return readFile(path.join(folder, asset));
      });
    }
    return Promise.resolve();
  };
}

/** The files are a dependency of @nestjs/swagger's, not of ours. */
function swaggerFolder(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('@nestjs/swagger'));
  return path.dirname(require.resolve('swagger-ui-dist/package.json'));
}
