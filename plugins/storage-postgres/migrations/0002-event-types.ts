/** Events are queried by type. */
export const eventTypes = (schema: string): string => `
CREATE INDEX event_type ON ${schema}.event (type NULLS FIRST, seq NULLS FIRST);
`;
