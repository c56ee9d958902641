import type { Template } from './template.ts';

/** A template as instances may serve it. */
export interface Placed {
  readonly template: Template;
  /** Where files of several instances have it: each instance's own. It is open to those instances alone. */
  readonly variants?: Readonly<Record<string, Template>>;
}

/** The template as an instance would serve it, without the instance's defaults. */
export const variantFor = ({ template, variants }: Placed, instance: string): Template => variants?.[instance] ?? template;
