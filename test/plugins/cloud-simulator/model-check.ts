import { Readable } from 'node:stream';

/** An element of an answer. */
interface Element {
  readonly name: string;
  readonly children: Element[];
  text: string;
}

/** The part of an SDK client that a check hooks into. */
interface Checkable {
  readonly middlewareStack: { add(middleware: never, options: object): void };
}

type Context = Readonly<Record<string, unknown>>;
type Next = (args: unknown) => Promise<{ readonly response: { readonly statusCode: number; body: Readable } }>;

/**
 * Makes a client refuse answers that the SDK would read without complaint but not understand: elements that its own
 * model of the service does not know are dropped in silence, and so is everything outside the wrapper that a service
 * has. Broken XML is left to the SDK.
 */
export function checkAnswers(client: Checkable): void {
  const middleware = (next: Next, context: Context) => async (args: unknown) => {
    const result = await next(args);
    const { response } = result;
    const body = await textOf(response.body);
    if (body !== undefined) {
      response.body = Readable.from([Buffer.from(body)]);
      const root = parse(body);
      const wrong =
        root === undefined ? [] : response.statusCode === 200 ? unknownElements(root, context) : oddError(root);
      if (wrong.length > 0) throw new Error(`The SDK's model does not know: ${wrong.slice(0, 5).join('; ')}`);
    }
    return result;
  };
  client.middlewareStack.add(middleware as never, { step: 'deserialize', name: 'checkAnswers', priority: 'low' });
}

/** The whole body; a broken connection is the SDK's to tell. */
async function textOf(body: Readable): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk as Buffer);
  } catch (error) {
    body.destroy();
    throw error;
  }
  return Buffer.concat(chunks).toString();
}

function unknownElements(root: Element, context: Context): string[] {
  const { operationSchema } = context['__smithy_context'] as { readonly operationSchema: readonly unknown[] };
  const output = operationSchema[5];
  const action = String(context['commandName']).replace(/Command$/, '');
  const wrapper = root.children.find((child) => child.name === `${action}Result`);
  if (root.name !== `${action}Response`) return [`root ${root.name}`];
  const about = new Set(['requestId', 'ResponseMetadata']);
  const wrapped = context['clientName'] !== 'EC2Client';
  if (wrapped && wrapper === undefined && root.children.some((one) => !about.has(one.name)))
    return [`an answer without its wrapper ${action}Result`];
  const inner = wrapper ?? { ...root, children: root.children.filter((child) => !about.has(child.name)) };
  return compare(inner, output, action);
}

function oddError(root: Element): string[] {
  const error = root.name === 'Response' ? child(child(root, 'Errors'), 'Error') : child(root, 'Error');
  if (root.name === 'html') return [];
  return child(error, 'Code')?.text && child(error, 'Message') !== undefined
    ? []
    : [`an error ${root.name} without code and message`];
}

function child(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((one) => one.name === name);
}

const list = 1;
const structure = 3;
const scalarList = 64;

/**
 * Paths of elements that the schema does not know, or whose text is not of its kind. Schemas are the SDK's static
 * tuples.
 */
function compare(element: Element, reference: unknown, path: string): string[] {
  const schema = resolve(reference);
  if (typeof schema === 'number') {
    if (schema >= scalarList)
      return element.children.flatMap((one) => (one.name === 'member' ? [] : [`${path}/${one.name}`]));
    return scalar(element, schema, path);
  }
  const parts = schema as readonly unknown[];
  if (parts[0] === structure) {
    const members = new Map(
      (parts[4] as readonly string[]).map((name, index) => {
        const member = (parts[5] as readonly unknown[])[index];
        return [traitsOf(member)['xmlName'] ?? name, member];
      }),
    );
    return element.children.flatMap((one) => {
      const here = `${path}/${one.name}`;
      return members.has(one.name) ? compare(one, members.get(one.name), here) : [here];
    });
  }
  if (parts[0] === list) {
    const entry = parts[4];
    const name = traitsOf(entry)['xmlName'] ?? 'member';
    return element.children.flatMap((one) =>
      one.name === name ? compare(one, entry, `${path}/${name}`) : [`${path}/${one.name}`],
    );
  }
  return parts[0] === 0 ? compare(element, parts[4], path) : [];
}

const numeric = 1;
const boolean = 2;
const timestamps = new Set([4, 5, 6, 7]);

function scalar(element: Element, kind: number, path: string): string[] {
  if (element.children.length > 0) return [`${path} has parts`];
  const { text } = element;
  if (kind === numeric && !/^-?\d+(\.\d+)?$/.test(text)) return [`${path}: '${text}' is no number`];
  if (kind === boolean && !/^(true|false)$/.test(text)) return [`${path}: '${text}' is no boolean`];
  if (timestamps.has(kind) && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text))
    return [`${path}: '${text}' is no time with its zone`];
  return [];
}

/** A member is a schema, or a schema with traits; a schema is a number, a tuple, or a function that returns one. */
function resolve(reference: unknown): unknown {
  if (typeof reference === 'function') return resolve((reference as () => unknown)());
  if (Array.isArray(reference) && reference.length === 2 && typeof reference[0] !== 'string')
    return resolve(reference[0]);
  return reference;
}

function traitsOf(member: unknown): Readonly<Record<string, string>> {
  const traits: unknown = Array.isArray(member) && member.length === 2 ? member[1] : undefined;
  return typeof traits === 'object' && traits !== null ? (traits as Record<string, string>) : {};
}

/** Undefined when it is not one whole element. */
function parse(xml: string): Element | undefined {
  const root: Element = { name: '', children: [], text: '' };
  const open = [root];
  for (const [, close, name = '', empty, text] of xml.matchAll(
    /<(\/)?([A-Za-z][\w.-]*)[^>]*?(\/)?>|<[?!][^>]*>|([^<]+)/g,
  )) {
    const at = open.at(-1) as Element;
    if (text !== undefined) at.text += text;
    else if (close !== undefined) {
      if (open.length < 2 || at.name !== name) return undefined;
      open.pop();
    } else if (name !== '') {
      const made: Element = { name, children: [], text: '' };
      at.children.push(made);
      if (empty === undefined) open.push(made);
    }
  }
  return open.length === 1 && root.children.length === 1 ? root.children[0] : undefined;
}
