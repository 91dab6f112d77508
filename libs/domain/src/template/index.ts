export { TEMPLATE_VARIABLES, TemplateError, type TemplateValues } from './variables.js';
export { checkTemplate, compileTemplate, type CompiledTemplate } from './compile.js';
export { bodyPlace, type BodyPlace } from './body-place.js';
export { renderTemplate, type TemplatePlace } from './render.js';
export { checkUrlTemplate } from './url-template.js';
