// The server goes away under an open page: the page keeps its last answer, and says why it is old.
import { assert, journey, keep } from '../harness.mjs'

await journey(
  async (page) => {
    await page.getByRole('row', { name: /acme\/shop/ }).waitFor()
    keep('ready', '') // the Go test stops the server now
    await page.getByText('the server of these pages does not answer', { exact: false }).waitFor()
    assert.ok(await page.getByRole('row', { name: /acme\/shop/ }).isVisible())
  },
  { allowed: [/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED/] },
)
