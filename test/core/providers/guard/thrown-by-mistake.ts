import { ProviderFault } from '../../../../core/index.ts';

const circle = (): Error => {
  const error: Error = new Error('round');
  error.cause = error;
  return error;
};

const withField = (name: string, field: PropertyDescriptor): Error =>
  Object.defineProperty(new Error('odd'), name, { enumerable: true, ...field });

const throwing: PropertyDescriptor = {
  get() {
    throw new Error('do not read me');
  },
};

export const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const fault = Symbol.for('muster.fault');

/** What a plugin may throw by mistake, by name. */
export const thrownByMistake: Readonly<Record<string, () => unknown>> = {
  'causes in a circle': circle,
  'a message that is a BigInt': () => withField('message', { value: 1n }),
  'a message that throws': () => withField('message', throwing),
  'a name that is a symbol': () => withField('name', { value: Symbol('n') }),
  'a stack that is a function': () => withField('stack', { value: () => 1 }),
  'a cause that throws': () => withField('cause', throwing),
  'a field that throws': () => withField('code', throwing),
  'a toJSON that throws': () => withField('toJSON', throwing),
  'a revoked Proxy': revoked,
  'a fault whose kind throws': () => Object.defineProperty({ [fault]: true }, 'kind', throwing),
  'a fault whose message throws': () => Object.defineProperty({ [fault]: true, kind: 'invalid' }, 'message', throwing),
  'a fault with causes in a circle': () => new ProviderFault('invalid', 'wrong', { cause: circle() }),
  nothing: () => undefined,
  'a symbol': () => Symbol('s'),
  'an object without a prototype': () => Object.create(null),
};
