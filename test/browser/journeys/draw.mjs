// A component is drawn, connected and saved: it becomes a branch of its own.
import { assert, draw, journey, keep, open, picture, violations } from '../harness.mjs'

await journey(
  async (page) => {
    await open(page, '/applications/acme/shop/edit')
    await draw(page, { type: 'store', name: 'cache', image: 'ghcr.io/acme/valkey:8', before: 'web' })
    await page.getByRole('button', { name: /^web/ }).getByText('after migrate, cache').waitFor()

    await page.getByText('can be saved').waitFor()
    await picture(page, 'editor')
    await page.getByRole('button', { name: 'Save as a branch' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as a branch' })
    await dialog.getByRole('textbox', { name: 'Branch' }).fill('cache-for-web')
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await violations(page), [], `saving, ${colorScheme}`)
    }
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    const saved = page.getByRole('dialog', { name: 'Saved' })
    await saved.getByText('git push origin ui/cache-for-web').waitFor()
    await picture(page, 'editor-saved')
    await saved.getByRole('link', { name: 'What its merge would do' }).click()
    await page.getByRole('heading', { level: 1, name: 'Pull request' }).waitFor()
    await page.getByText('This changes what runs').waitFor()
    keep('saved', '')
    await open(page, '/applications/acme/shop/edit')
    await page.getByText('nothing changed yet').waitFor()
  },
  { allowed: [/status of 40[09]/, /status of 503/] },
)
