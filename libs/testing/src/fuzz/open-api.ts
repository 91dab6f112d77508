/** As much of an OpenAPI document as requests are made from. */
export interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  format?: string;
  example?: unknown;
  default?: unknown;
  nullable?: boolean;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema?: Schema;
}

export interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | null;
}

export interface OpenApi {
  paths: Record<string, Record<string, RawOperation>>;
  components?: { schemas?: Record<string, Schema> };
}

interface RawOperation {
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];

export function operationsOf({ paths }: OpenApi): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, { parameters = [], requestBody }]) => ({
        ...{ method: method.toUpperCase(), path, parameters },
        body: Object.values(requestBody?.content ?? {})[0]?.schema ?? null,
      })),
  );
}

/** The schema that a reference means; of several that are joined, one. */
export function resolve(document: OpenApi, schema: Schema): Schema {
  let found = schema;
  for (let hops = 0; hops < 10; hops++) {
    if (found.$ref !== undefined) found = document.components?.schemas?.[found.$ref.split('/').pop()!] ?? {};
    else if (found.allOf?.length === 1) found = { ...found, allOf: undefined, ...found.allOf[0] };
    else return found;
  }
  return found;
}
