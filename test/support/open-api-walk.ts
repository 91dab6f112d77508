/** The least of an OpenAPI document that a walk along its routes needs. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  security?: object[];
}

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: unknown[];
  example?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

export interface Route {
  method: string;
  path: string;
  /** Names of the ids in its path. */
  ids: string[];
  /** Required query parameters, and the smallest body that is valid. */
  query: Record<string, string>;
  body: unknown;
  security: object[];
}

export function routesOf({ paths, components }: Document): Route[] {
  const schemaOf = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1)!];
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      query: Object.fromEntries(
        (operation.parameters ?? [])
          .filter((one) => one.in === 'query' && one.required)
          .map(({ name, schema }) => [name, String(smallest(schema ?? {}, schemaOf))]),
      ),
      body: bodyOf(operation, schemaOf),
      security: operation.security ?? [],
    })),
  );
}

function bodyOf({ requestBody }: Operation, schemaOf: (schema: Schema) => Schema): unknown {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined ? undefined : smallest(schema, schemaOf);
}

/** A value that is valid, with nothing in it that may be left out. */
function smallest(given: Schema, schemaOf: (schema: Schema) => Schema): unknown {
  const schema = schemaOf(given);
  if (schema.properties !== undefined) {
    const names = schema.required ?? [];
    return Object.fromEntries(names.map((name) => [name, smallest(schema.properties![name], schemaOf)]));
  }
  if (schema.type === 'array') return [smallest(schema.items ?? {}, schemaOf)];
  if (schema.example !== undefined) return schema.example;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.format === 'date-time') return '2026-01-01T00:00:00Z';
  return schema.type === 'integer' || schema.type === 'number' ? 1 : schema.type === 'boolean' ? true : 'x';
}
