import 'reflect-metadata';
import { container as root, type DependencyContainer, type InjectionToken } from 'tsyringe';

/** Identifies one thing of the broker, with its type. */
export interface Token<T> {
  readonly id: string;
  readonly symbol: symbol;
  readonly type?: T;
}

/** Identifies a place where plugins contribute any number of things of one type. */
export interface ExtensionPoint<T> extends Token<T> {
  readonly many: true;
}

export const token = <T>(id: string): Token<T> => ({ id, symbol: Symbol(id) });
export const extensionPoint = <T>(id: string): ExtensionPoint<T> => ({ id, symbol: Symbol(id), many: true });

/** A typed interface to tsyringe. Each broker owns a container; there is no global one. */
export class Container {
  readonly #inner: DependencyContainer = root.createChildContainer();

  /** Sets the value of a token. A second value throws, because two owners would conflict. */
  set<T>(token: Token<T>, value: T): this {
    if (this.has(token)) throw new Error(`'${token.id}' is set already.`);
    this.#inner.register(token.symbol as InjectionToken<T>, { useValue: value });
    return this;
  }

  /** Sets the function that makes the value of a token at its first use. */
  provide<T>(token: Token<T>, make: (container: Container) => T): this {
    if (this.has(token)) throw new Error(`'${token.id}' is set already.`);
    let made: { readonly value: T } | undefined;
    this.#inner.register(token.symbol as InjectionToken<T>, {
      useFactory: () => (made ??= { value: make(this) }).value,
    });
    return this;
  }

  has(token: Token<unknown>): boolean {
    return this.#inner.isRegistered(token.symbol as InjectionToken);
  }

  /** The value of a token; throws when none is set. */
  get<T>(token: Token<T>): T {
    if (!this.has(token)) throw new Error(`No value is set for '${token.id}'.`);
    return this.#inner.resolve(token.symbol as InjectionToken<T>);
  }

  /** Contributes to an extension point. The order of contributions is kept. */
  add<T>(point: ExtensionPoint<T>, value: T): this {
    this.#inner.register(point.symbol as InjectionToken<T>, { useValue: value });
    return this;
  }

  /** All contributions, in order. Empty when there are none, where tsyringe's own `resolveAll` throws. */
  all<T>(point: ExtensionPoint<T>): readonly T[] {
    return this.has(point) ? this.#inner.resolveAll(point.symbol as InjectionToken<T>) : [];
  }
}
