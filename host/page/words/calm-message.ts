/**
 * A message with several answers of a cloud, for reading: the codes stand in brackets instead of running into the next
 * answer. The whole text stands with the orders of the request.
 */
export const calmMessage = (message: string): string => message.replaceAll(/\.?\s*Error Code: ([\w.]+\w)/g, ' ($1).');
