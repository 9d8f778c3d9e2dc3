// The server goes away under an open page: the page keeps its last answer, and says why it is old. When a server is there again, it is another one: the
// page says how to sign in, and what somebody began to write is still there.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, journey, keep, open, out, violations } from '../harness.mjs'

await journey(
  async (page) => {
    await open(page, '/applications/acme/shop/edit?field=components.web.replicas')
    await page.getByRole('spinbutton', { name: 'replicas', exact: true }).fill('6')
    await page.getByText(/^1 change$/).waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Fleet' }).click()
    await page.getByRole('row', { name: /acme\/shop/ }).waitFor()
    keep('ready', '') // the Go test stops the server now
    await page.getByText('the server of these pages does not answer', { exact: false }).waitFor()
    assert.ok(await page.getByRole('row', { name: /acme\/shop/ }).isVisible())
    keep('ready', '') // and starts another one at the same address
    await page.getByText('This browser is not signed in.').waitFor()
    assert.ok(await page.getByRole('row', { name: /acme\/shop/ }).isVisible())
    assert.deepEqual(await violations(page), [])
    while (!existsSync(join(out, 'url'))) await new Promise((r) => setTimeout(r, 20))
    await page.goto(readFileSync(join(out, 'url'), 'utf8')) // in the same tab
    await page.getByRole('row', { name: /acme\/shop/ }).waitFor()
    await page.getByText('This browser is not signed in.').waitFor({ state: 'detached' })
    await open(page, '/applications/acme/shop/edit?field=components.web.replicas')
    await page.getByText(/^1 change$/).waitFor()
    assert.equal(await page.getByRole('spinbutton', { name: 'replicas', exact: true }).inputValue(), '6')
  },
  { allowed: [/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED/, /status of 401/, /status of 40[09]/, /status of 503/] },
)
