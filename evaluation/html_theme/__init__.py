"""What all pages share: colours, templates, figures as SVG."""
