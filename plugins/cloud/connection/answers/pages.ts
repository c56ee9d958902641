/** The part of a page that leads to the next page. */
interface Paged {
  readonly NextToken?: string | undefined;
}

/**
 * All pages of a list of the cloud. `ask` gets the token of the next page, to be spread into the input of the call. An
 * empty token ends the list.
 */
export async function* pagesOf<Page extends Paged>(
  ask: (next: { readonly NextToken?: string }) => Promise<Page>,
): AsyncGenerator<Page> {
  let next: { readonly NextToken?: string } | undefined = {};
  while (next !== undefined) {
    const page: Page = await ask(next);
    yield page;
    next = page.NextToken ? { NextToken: page.NextToken } : undefined;
  }
}
