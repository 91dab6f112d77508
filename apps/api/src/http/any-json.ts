/** OpenAPI: whatever JSON there is. Without words Nest would say `object`. */
export const ANY_JSON = {
  nullable: true,
  oneOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    ...['string', 'number', 'boolean'].map((type) => ({ type })),
  ],
};
