/** Machines are listed by creation and id, alone and within a request, and queried by market. */
export const machineOrder = `
ALTER TABLE machine ADD COLUMN market TEXT;
UPDATE machine SET market = json_extract(doc, '$.market') WHERE json_extract(doc, '$.market') IS NOT NULL;
DROP INDEX machine_request;
CREATE INDEX machine_request ON machine (request_id, created_at, machine_id, provider_instance);
CREATE INDEX machine_created ON machine (created_at, machine_id, provider_instance);
CREATE INDEX machine_living ON machine (created_at, machine_id, provider_instance) WHERE gone_at IS NULL;
`;
