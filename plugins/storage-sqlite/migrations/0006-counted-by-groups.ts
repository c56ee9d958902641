/**
 * New requests are counted once for each group of commits, see `Counters`. Until its end their counter may not exist,
 * so that the other triggers begin a missing one below zero.
 */
export const countedByGroups = `
DROP TRIGGER request_came;
DROP TRIGGER request_turned;
DROP TRIGGER request_went;
CREATE TRIGGER request_turned AFTER UPDATE OF kind, status ON request WHEN old.status IS NOT new.status OR old.kind IS NOT new.kind BEGIN
  INSERT INTO counter VALUES ('request', old.kind, old.status, -1) ON CONFLICT DO UPDATE SET n = n - 1;
  INSERT INTO counter VALUES ('request', new.kind, new.status, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER request_went AFTER DELETE ON request BEGIN
  INSERT INTO counter VALUES ('request', old.kind, old.status, -1) ON CONFLICT DO UPDATE SET n = n - 1;
END;
`;
