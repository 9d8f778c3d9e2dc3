// A component is drawn, connected and saved; its branch is merged and the reconciler runs it; somebody approves in a terminal. The
// pages follow all of it without being loaded again.
import { assert, draw, journey, keep, open, picture } from '../harness.mjs'

await journey(
  async (page, context) => {
    await page.getByRole('row', { name: /acme\/shop.*Running/ }).waitFor()
    const books = await context.newPage()
    await books.goto(new URL('/applications/acme/books/run', page.url()).href)
    const needed = books.getByRole('region', { name: 'A person is needed' })
    await needed.getByText(/^reconciler approve acme\/books agree --run [0-9a-f]{12}$/).waitFor()
    await books.evaluate(() => (globalThis.loaded = 'once'))

    await open(page, '/applications/acme/shop/edit')
    await draw(page, { type: 'store', name: 'cache', image: 'registry.example.com/valkey:8', before: 'web' })
    await page.getByText('can be saved').waitFor()
    await page.getByRole('button', { name: 'Save as a branch' }).click()
    await page.getByRole('dialog', { name: 'Save as a branch' }).getByRole('textbox', { name: 'Branch' }).fill('cache-for-web')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('git push origin ui/cache-for-web').waitFor()

    await open(page, '/applications/acme/shop')
    const components = page.getByRole('region', { name: 'Components' })
    await components.getByRole('row', { name: /^web/ }).waitFor()
    assert.equal(await components.getByRole('row', { name: /^cache/ }).count(), 0)
    await page.evaluate(() => (globalThis.loaded = 'once'))
    keep('ready', '') // the Go test merges the branch now
    await components.getByRole('row', { name: /^cache.*Ready/i }).waitFor()
    await page.getByRole('heading', { level: 1, name: /acme\/shop.*Running/ }).waitFor()
    await picture(page, 'whole')

    keep('approve.txt', await needed.getByText(/^reconciler approve /).innerText())
    keep('ready', '') // and does what the page says, in a terminal
    await books.getByRole('region', { name: 'Steps' }).getByRole('row', { name: /^agree.*succeeded/i }).waitFor()
    await books.getByRole('heading', { level: 1, name: /acme\/books.*Running/ }).waitFor()
    assert.equal(await books.evaluate(() => globalThis.loaded), 'once', 'the page was not loaded again')
  },
  { allowed: [/status of 40[09]/, /status of 503/] },
)
