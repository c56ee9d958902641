/**
 * JSON of the answers of GET /templates/{id}. Templates are frozen and few, so each is serialized once; only the
 * timestamp changes.
 */
const texts = new WeakMap<object, string>();

interface TemplateAnswer {
  readonly template: object;
  readonly timestamp: string;
}

export function templateAnswer({ template, timestamp }: TemplateAnswer): string {
  let text = texts.get(template);
  if (text === undefined) {
    text = `{"template":${JSON.stringify(template)},"timestamp":"`;
    texts.set(template, text);
  }
  return `${text}${timestamp}"}`;
}
