import { linkToRequest, linkToTemplate } from './address.ts';

/** The id of a request, whole, as a link to its view. */
export const RequestLink = ({ id }: { readonly id: string }) => (
  <a class="id" href={linkToRequest(id)}>
    {id}
  </a>
);

export const TemplateLink = ({ id }: { readonly id: string | null }) =>
  id === null ? <span class="quiet">several</span> : <a href={linkToTemplate(id)}>{id}</a>;
