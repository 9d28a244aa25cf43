import { render } from 'preact';
import { App } from './app';
import { openSession } from './session';
import { applyTheme } from './theme';
import './styles.css';

applyTheme();
void openSession();

const root = document.getElementById('app');
if (root) render(<App />, root);
