// What the page does beyond showing itself: a slider through the slices, and one that swipes an original over its
// reconstruction. Without scripts the other slices are behind their names, and nothing is missing.
'use strict';

// A control from 0 to most above or below a picture; tell(value) acts and returns what stands beside it.
function slider(words, value, most, tell) {
  const label = document.createElement('label'), range = document.createElement('input'), told = document.createElement('output');
  label.className = 'slider';
  Object.assign(range, {type: 'range', min: 0, max: most, step: 1, value});
  const act = () => { told.textContent = tell(Number(range.value)); };
  range.addEventListener('input', act);
  label.append(words, range, told);
  act();
  return label;
}

for (const box of document.querySelectorAll('.slices')) {
  const first = box.querySelector('div.slice');
  const slices = [...box.querySelectorAll('.slice')].sort((a, b) => a.dataset.index - b.dataset.index);
  box.classList.add('scripted');
  slices.forEach((slice) => { slice.open = true; });
  box.prepend(slider('Slice', slices.indexOf(first), slices.length - 1, (number) => {
    slices.forEach((slice, i) => { slice.hidden = i !== number; });
    return slices[number].dataset.where;
  }));
}

for (const figure of document.querySelectorAll('figure[data-beneath]')) {
  const own = figure.querySelector('picture'), other = document.getElementById(figure.dataset.beneath).querySelector('picture').cloneNode(true);
  const stage = document.createElement('div'), line = document.createElement('i');
  stage.className = 'stage';
  other.className = 'over';
  other.querySelector('img').alt = '';
  own.replaceWith(stage);
  stage.append(own, other, line);
  const heading = document.createElement('div'), title = figure.querySelector('h3');
  heading.className = 'heading';
  title.replaceWith(heading);
  const control = slider('Original', 0, 100, (share) => {
    other.style.clipPath = `inset(0 ${100 - share}% 0 0)`;
    line.style.left = `${share}%`;
    line.hidden = share === 0 || share === 100;
    return '';
  });
  control.title = 'Swipe to the original';
  heading.append(title, control);
  const range = control.querySelector('input');
  const drag = (event) => {
    const place = stage.getBoundingClientRect();
    range.value = 100 * (event.clientX - place.left) / place.width;
    range.dispatchEvent(new Event('input'));
  };
  stage.addEventListener('pointerdown', (event) => { stage.setPointerCapture(event.pointerId); drag(event); event.preventDefault(); });
  stage.addEventListener('pointermove', (event) => { if (event.buttons) { drag(event); } });
}
