// A dashboard that is started read-only shows no way to the editor, and says why there is none.
import { assert, journey, open } from '../harness.mjs'

await journey(async (page) => {
  await open(page, '/applications/globex/analytics/decision')
  await page.getByText('What would admit it').waitFor()
  assert.equal(await page.getByRole('link', { name: /New application|Edit it|Change/ }).count(), 0)
  for (const path of ['/applications/acme/shop/edit', '/new/application']) {
    await open(page, path)
    await page.getByText('Nothing can be changed here', { exact: false }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Save|Add/ }).count(), 0)
  }
})
