import 'reflect-metadata';
import { container as root, type DependencyContainer, type InjectionToken } from 'tsyringe';

/** Names a single thing of the broker, with its type. */
export interface Token<T> {
  readonly id: string;
  readonly symbol: symbol;
  readonly type?: T;
}

/** Names a place where plugins contribute any number of things of one type. */
export interface ExtensionPoint<T> extends Token<T> {
  readonly many: true;
}

export const token = <T>(id: string): Token<T> => ({ id, symbol: Symbol(id) });
export const extensionPoint = <T>(id: string): ExtensionPoint<T> => ({ id, symbol: Symbol(id), many: true });

/** The typed face of tsyringe. A broker owns its container; there is no global one. */
export class Container {
  readonly #inner: DependencyContainer = root.createChildContainer();

  /** Sets the one value of a token. Setting it twice throws: two owners would fight. */
  set<T>(token: Token<T>, value: T): this {
    if (this.has(token)) throw new Error(`'${token.id}' is set already.`);
    this.#inner.register(token.symbol as InjectionToken<T>, { useValue: value });
    return this;
  }

  /** Sets how the one value of a token is made, at its first use. */
  provide<T>(token: Token<T>, make: (container: Container) => T): this {
    if (this.has(token)) throw new Error(`'${token.id}' is set already.`);
    let made: { readonly value: T } | undefined;
    this.#inner.register(token.symbol as InjectionToken<T>, { useFactory: () => (made ??= { value: make(this) }).value });
    return this;
  }

  has(token: Token<unknown>): boolean {
    return this.#inner.isRegistered(token.symbol as InjectionToken);
  }

  /** The value of a token; throws when nobody set it. */
  get<T>(token: Token<T>): T {
    if (!this.has(token)) throw new Error(`Nothing is set for '${token.id}'.`);
    return this.#inner.resolve(token.symbol as InjectionToken<T>);
  }

  /** Contributes to an extension point; the order of contribution is kept. */
  add<T>(point: ExtensionPoint<T>, value: T): this {
    this.#inner.register(point.symbol as InjectionToken<T>, { useValue: value });
    return this;
  }

  /** All contributions, in order. tsyringe's own `resolveAll` throws when there are none; here that is an empty list. */
  all<T>(point: ExtensionPoint<T>): readonly T[] {
    return this.has(point) ? this.#inner.resolveAll(point.symbol as InjectionToken<T>) : [];
  }
}
