/** What a page of a list says of the one behind it. */
interface Paged {
  readonly NextToken?: string | undefined;
}

/**
 * All pages of a list of the cloud. `ask` is called with what the next page is asked by, to be spread into the input
 * of the call; an empty token is the end too.
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
