/** Whether the page shows controls. The server says so in the document; what callers may do is the server's matter. */
export const hasControls = document.documentElement.dataset['page'] !== 'read_only';
