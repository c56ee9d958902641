/** Events are queried by type. */
export const eventTypes = `
CREATE INDEX event_type ON event (type, seq);
`;
