import { Type, type Static } from 'typebox';

const usd = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }));

/** Prices in US dollars an hour, for cost and budgets. */
export const Prices = Type.Object(
  {
    factor: Type.Optional(
      Type.Number({
        default: 1,
        exclusiveMinimum: 0,
        maximum: 100,
        description: 'Multiplies list prices and Spot prices, for example 0.9 for a discount of ten percent.',
      }),
    ),
    table: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          {
            ondemand: usd('US dollars an hour on demand.'),
            spot: usd('US dollars an hour as a Spot machine.'),
          },
          { additionalProperties: false },
        ),
        { default: {}, description: 'Own prices by machine type, before all others. `factor` does not change them.' },
      ),
    ),
  },
  { additionalProperties: false, default: {}, description: 'Own conditions; list prices without them.' },
);
export type Prices = Static<typeof Prices>;
